package telemetry

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"ocaptain/fleet/telemetry/usage"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// mostLine bounds one delivered line in bytes, and mostUnpacked all lines of a parcel.
const (
	mostLine     = 8 << 20
	mostUnpacked = mostLine + maxParcel
)

// Deliver adds the lines of a parcel to the store, each once, and returns their size in bytes. clean removes what must not be stored.
// Deliver skips lines that are no OTLP JSON. After an error the caller may deliver the same parcel again.
func (s *Store) Deliver(source usage.Source, p Parcel, clean func(string) string) (size int64, err error) {
	if len(p.Spool) > maxSpoolID {
		return 0, errors.New("parcel: the name of its spool is too long")
	}
	all, err := unpack(p.Lines)
	if err != nil {
		return 0, fmt.Errorf("parcel: %w", err)
	}
	at := usage.Delivered{Spool: p.Spool, File: p.File, Offset: p.Offset}
	for line := range bytes.Lines(all) {
		at.Offset += int64(len(line))
		if err := s.deliver(source, at, line, clean); err != nil {
			return int64(len(all)), err
		}
	}
	return int64(len(all)), nil
}

// deliver adds one line, unless it was delivered before. at is the place just past the line.
func (s *Store) deliver(source usage.Source, at usage.Delivered, line []byte, clean func(string) string) error {
	if s.isDelivered(source.Ship, at) || checkLine(line) != nil {
		return nil
	}
	decoding <- struct{}{}
	e, ok, err := decodeLine([]byte(clean(string(line))))
	<-decoding
	if err != nil || !ok || e.empty() {
		return nil // a line that is invalid now will never be valid
	}
	e.stamp(source)
	at.Stamp(e.resource())
	stored, err := e.line()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sums.Delivered(source.Ship).Covers(at) { // delivered meanwhile by another connection of the ship
		return nil
	}
	return s.addLine(e, stored)
}

func (s *Store) isDelivered(ship string, at usage.Delivered) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sums.Delivered(ship).Covers(at)
}

// maxSpoolID bounds the id of a spool, which a ship chooses, in bytes.
const maxSpoolID = 64

// resource returns the attributes of the first resource of an export that is not empty.
func (e export) resource() pcommon.Map {
	switch e.signal {
	case Metrics:
		return e.metrics.ResourceMetrics().At(0).Resource().Attributes()
	case Logs:
		return e.logs.ResourceLogs().At(0).Resource().Attributes()
	default:
		return e.traces.ResourceSpans().At(0).Resource().Attributes()
	}
}

// checkLine returns an error for a line that is too large to be read safely.
func checkLine(line []byte) error {
	if len(line) > mostLine {
		return errLarge
	}
	return scanJSON(line)
}

// unpack is the inverse of pack, with a limit of size.
func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(z, mostUnpacked+1))
	if err == nil && len(all) > mostUnpacked {
		err = errors.New("it is larger than a parcel may be")
	}
	return all, err
}
