"""Tests of the sandbox; a package, so that its files may be named as those of other folders."""
