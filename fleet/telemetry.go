package fleet

// Telemetry says what happens to the measurements that the agents of a voyage send.
type Telemetry struct {
	Off      bool   `json:"off,omitempty"`      // agents send none
	Contents bool   `json:"contents,omitempty"` // measurements include the content of prompts and tool calls
	Keep     int64  `json:"keep,omitempty"`     // how many bytes to store, 0 for the default
	Forward  string `json:"forward,omitempty"`  // URL of a collector to which helm forwards them, "" for none
}
