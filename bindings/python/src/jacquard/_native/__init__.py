"""The header in ctypes, declaration by declaration. Nothing here decides anything."""
