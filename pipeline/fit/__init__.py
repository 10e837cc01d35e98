"""Fits: from measured series and tables to phases, profiles, laws and curves. Frames in, frames out."""
