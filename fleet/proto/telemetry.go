package proto

import (
	"time"

	"ocaptain/fleet/telemetry"
)

// MethodTelemetry brings helm what the ship's agent exported: Telemetry → nothing.
const MethodTelemetry = "telemetry"

// Telemetry is what comes next in the ship's spool.
type Telemetry struct {
	telemetry.Parcel
	Now time.Time `json:"now"` // by the ship's clock
}
