// Package summed writes and reads files with JSON and a checksum, which voyages keep.
package summed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"ocaptain/sync/whole"
)

// ErrDamaged means that a file does not hold what was written to it.
var ErrDamaged = errors.New("it is damaged")

// The last field of a file that Write writes is a checksum of everything before it, so that a flipped bit does not
// pass for other data. JSON that is no object gets no checksum.
const (
	sumStart = ",\n  \"sum\": \""
	sumEnd   = "\"\n}\n"
	sumSize  = len(sumStart) + 8 + len(sumEnd)
)

// Write writes v to path as JSON, atomically. It indents the JSON, unless v is a json.RawMessage.
func Write(path string, v any, mode fs.FileMode) error {
	raw, ready := v.(json.RawMessage)
	if !ready {
		var err error
		if raw, err = json.MarshalIndent(v, "", "  "); err != nil {
			return err
		}
	}
	if body, ok := bytes.CutSuffix([]byte(raw), []byte("\n}")); ok {
		raw = fmt.Appendf(body, "%s%08x%s", sumStart, crc32.ChecksumIEEE(body), sumEnd)
	}
	return whole.Write(path, raw, mode)
}

// Read reads a file that Write wrote into v. It fails with ErrDamaged if the checksum does not match.
func Read(path string, v any) error {
	raw, _, err := Raw(path)
	if err != nil {
		return err
	}
	return Decode(path, raw, v)
}

// Raw reads a file that Write wrote, for Decode. hasSum reports whether the file had a checksum, which Raw removes. Raw fails with
// ErrDamaged if the checksum does not match.
func Raw(path string) (raw []byte, hasSum bool, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s: %w: it is no file", path, ErrDamaged)
	}
	raw, err = os.ReadFile(path)
	if err != nil {
		return nil, false, err
	}
	at := len(raw) - sumSize
	if at <= 0 || !bytes.HasPrefix(raw[at:], []byte(sumStart)) {
		return raw, false, nil
	}
	if string(raw[at+len(sumStart):len(raw)-len(sumEnd)]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(raw[:at])) {
		return nil, false, fmt.Errorf("%s: %w: its checksum does not fit", path, ErrDamaged)
	}
	return append(raw[:at], "\n}\n"...), true, nil
}

// Decode decodes into v what Raw has read, or a part of it, from the file at path. It fails with ErrDamaged if that is not the JSON of
// a v.
func Decode(path string, raw []byte, v any) error {
	err := jsonv2.Unmarshal(raw, v, jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return nil
}
