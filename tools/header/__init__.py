"""Reads include/jacquard.h for generators and tests: `comments` has what is said of each declaration, `declarations` what
a C compiler makes of it."""
