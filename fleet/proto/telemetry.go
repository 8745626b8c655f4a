package proto

import (
	"time"

	"ocaptain/fleet/telemetry"
)

// MethodTelemetry sends helm what the ship's agent has exported: Telemetry → nothing.
const MethodTelemetry = "telemetry"

// Telemetry is the next part of the ship's spool.
type Telemetry struct {
	telemetry.Parcel
	Now time.Time `json:"now"` // time of the ship's clock
}
