"""The header in ctypes, declaration by declaration, without any logic."""
