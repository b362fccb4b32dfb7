"""Tests of the pictures and of the recording."""
