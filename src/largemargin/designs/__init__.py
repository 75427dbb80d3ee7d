"""Designs: how rows are stored, and products with them."""
