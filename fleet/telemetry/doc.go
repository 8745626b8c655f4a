// Package telemetry receives what agents and other programs measure of themselves, sums it, stores it and exports it.
//
// The format is OTLP, the OpenTelemetry Protocol: https://opentelemetry.io/docs/specs/otlp/. A Receiver takes metrics, logs and traces over HTTP
// (protobuf and JSON) and gRPC, all on one port. A Store keeps what came for one voyage as lines of OTLP JSON, and Sums of it.
// Load gives the same Sums that the process had that wrote them.
package telemetry
