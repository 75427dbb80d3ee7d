"""Operators of ONNX by name."""

from functools import partial


class Operators:
    """The operators of ONNX by name, all of one version."""

    def __init__(self, version):
        self.version = version

    def __getattr__(self, name):
        from skl2onnx.algebra import onnx_ops

        return partial(getattr(onnx_ops, f"Onnx{name}"), op_version=self.version)
