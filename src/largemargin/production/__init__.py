"""From a fitted model to its use: probabilities, model files, ONNX graphs."""

from largemargin.production import model_files

__all__ = ["model_files"]
