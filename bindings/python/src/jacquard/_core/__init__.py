"""The one implementation behind both faces. Coroutines here await nothing but a driver's futures."""
