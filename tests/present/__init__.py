"""Tests of records as rows and words: pure, at a fixed time, in a fixed zone."""
