// Package telemetry receives measurements of agents and other programs, sums them, stores them and exports them.
//
// The format is OTLP, the OpenTelemetry Protocol: https://opentelemetry.io/docs/specs/otlp/. A Receiver accepts
// metrics, logs and traces over HTTP (protobuf and JSON) and gRPC, all on one port. A Store keeps the data of one
// voyage as lines of OTLP JSON, together with their Sums. Load returns the same Sums as the process that received the
// data.
package telemetry
