print("jacquard-sim")
