package fleet

// Telemetry says what becomes of what the agents of a voyage measure of themselves.
type Telemetry struct {
	Off      bool   `json:"off,omitempty"`      // they export nothing
	Contents bool   `json:"contents,omitempty"` // they tell of prompts and of tools
	Keep     int64  `json:"keep,omitempty"`     // bytes that are kept of it, 0 for the usual bound
	Forward  string `json:"forward,omitempty"`  // endpoint of the collector that gets it too, "" for none
}
