"""What everything stands on: code version, run lock, files, memory, compiled kernels, words for people."""
