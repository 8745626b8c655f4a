package telemetry

import (
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/fleet/telemetry/usage/usagetest"
)

// metricsOf are samples in the shape of an export.
func metricsOf(samples ...usagetest.Sample) export {
	return export{signal: Metrics, metrics: usagetest.Metrics(samples...)}
}

// logsOf are events in the shape of an export.
func logsOf(events ...usagetest.Event) export {
	return export{signal: Logs, logs: usagetest.Logs(events...)}
}

// input is the number of input tokens in all.
func input(s *usage.Sums) int64 { return s.Total().Tokens.Input }

var ship1 = usage.Source{Voyage: "v1", Ship: "ship-1", Role: "worker"}
