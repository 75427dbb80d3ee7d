"""Operators of ONNX by name."""

from functools import partial

import numpy as np


class Operators:
    """The operators of ONNX by name, all of the version of a container."""

    def __init__(self, container):
        self.version = container.target_opset

    def __getattr__(self, name):
        from skl2onnx.algebra import onnx_ops

        return partial(getattr(onnx_ops, f"Onnx{name}"), op_version=self.version)

    def winner(self, scores, n_classes, keepdims):
        """Return the graph of ``targets.winners_of``."""
        from onnx import TensorProto

        if n_classes > 2:
            return self.ArgMax(scores, axis=1, keepdims=keepdims)
        return self.Cast(self.Greater(scores, np.zeros(1)), to=TensorProto.INT64)
