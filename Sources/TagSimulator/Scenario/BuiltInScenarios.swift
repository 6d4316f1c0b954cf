/// The simulator's built-in scenarios, by name.
public enum BuiltInScenarios {
  /// The first line of each is a comment that describes it.
  public static let all: [(name: String, text: String)] = [
    ("plain", "# nothing happens: a tag in range that responds"),
    (
      "gestures",
      """
      # gear reports a gesture every half second
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
      # the battery discharges, is charged, and is nearly empty
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
      # a hand sweeps over the lines for ten seconds
      gear attach saint-laurent-backpack
      after ready 500ms every 16ms touch sweep for 10s
      """
    ),
    (
      "strokes",
      """
      # a person makes gestures on the sleeve, one every three seconds
      gear attach levis-trucker
      after ready 1s every 18s stroke tap
      after ready 4s every 18s stroke swipe-in
      after ready 7s every 18s stroke swipe-out
      after ready 10s every 18s stroke double-tap
      after ready 13s every 18s stroke spread
      after ready 16s every 18s stroke cover
      """
    ),
    (
      "gear",
      """
      # gear is attached, detached, and other gear attached
      after ready 500ms gear attach levis-trucker
      after ready 2s gear detach
      after ready 3s gear attach saint-laurent-backpack
      """
    ),
    (
      "range",
      """
      # the tag is out of range for five seconds
      after ready 2s out-of-range for 5s
      """
    ),
    (
      "bluetoothd",
      """
      # bluetoothd is restarted after five seconds
      at 5s bluetoothd restart after 1s
      """
    ),
    (
      "sessions",
      """
      # a tag with two stored motion recordings
      session 1627344030 samples 174
      session 1627344031 samples 1000
      """
    ),
  ]

  /// The description of a built-in scenario.
  public static func summary(of text: String) -> String {
    String(text.prefix { $0 != "\n" }.drop { $0 == "#" || $0 == " " })
  }

  public static func named(_ name: String) -> String? { all.first { $0.name == name }?.text }
}
