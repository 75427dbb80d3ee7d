"""From a fitted model to its use: probabilities, model files, ONNX graphs."""
