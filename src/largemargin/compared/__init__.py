"""The methods that the large margin distribution machine is compared with."""
