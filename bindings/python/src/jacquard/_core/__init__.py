"""The implementation of both APIs. Its coroutines await only futures of a driver."""
