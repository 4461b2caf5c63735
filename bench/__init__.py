"""Measures the kata itself, as ratios within one run: `python -m bench`, or `make bench`. Nothing here is a test."""
