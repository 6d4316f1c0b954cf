"""Reads include/jacquard.h for generators and tests: `comments` has the description of each declaration, `declarations`
has the declarations as a C compiler sees them."""
