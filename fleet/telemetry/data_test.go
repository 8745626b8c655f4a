package telemetry

import (
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/fleet/telemetry/usage/usagetest"
)

// metricsOf returns samples as an export.
func metricsOf(samples ...usagetest.Sample) export {
	return export{signal: Metrics, metrics: usagetest.Metrics(samples...)}
}

// logsOf returns events as an export.
func logsOf(events ...usagetest.Event) export {
	return export{signal: Logs, logs: usagetest.Logs(events...)}
}

// input returns the total number of input tokens.
func input(s *usage.Sums) int64 { return s.Total().Tokens.Input }

var ship1 = usage.Source{Voyage: "v1", Ship: "ship-1", Role: "worker"}
