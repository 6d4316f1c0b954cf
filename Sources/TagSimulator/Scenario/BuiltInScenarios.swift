/// Scenarios that come with the simulator, by name.
public enum BuiltInScenarios {
  public static let all: [(name: String, text: String)] = [
    ("plain", ""),
    (
      "gestures",
      """
      gear attach levis-trucker
      after ready 500ms gesture double-tap
      after ready 1000ms gesture brush-in
      after ready 1500ms gesture brush-out
      after ready 2000ms gesture cover
      after ready 2500ms every 1s gesture double-tap
      """
    ),
    (
      "battery",
      """
      battery 80
      after ready 1s battery 79
      after ready 2s battery 79 charging
      after ready 3s battery 80
      after ready 4s battery 12 discharging
      """
    ),
    (
      "touch",
      """
      gear attach saint-laurent-backpack
      after ready 500ms every 16ms touch sweep for 10s
      """
    ),
    (
      "gear",
      """
      after ready 500ms gear attach levis-trucker
      after ready 2s gear detach
      after ready 3s gear attach saint-laurent-backpack
      """
    ),
    (
      "range",
      """
      after ready 2s out-of-range for 5s
      """
    ),
    (
      "bluetoothd",
      """
      at 5s bluetoothd restart after 1s
      """
    ),
    (
      "sessions",
      """
      session 1627344030 samples 174
      session 1627344031 samples 1000
      """
    ),
  ]

  public static func named(_ name: String) -> String? { all.first { $0.name == name }?.text }
}
