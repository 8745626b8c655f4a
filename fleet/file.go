package fleet

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

// The last field of a file that Save writes is a checksum of everything before it, so that a flipped bit does not
// pass for other data. JSON that is no object gets no checksum.
const (
	sumStart = ",\n  \"sum\": \""
	sumEnd   = "\"\n}\n"
	sumSize  = len(sumStart) + 8 + len(sumEnd)
)

// Save writes v to path as JSON, atomically.
func Save(path string, v any, mode fs.FileMode) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if body, ok := bytes.CutSuffix(raw, []byte("\n}")); ok {
		raw = fmt.Appendf(body, "%s%08x%s", sumStart, crc32.ChecksumIEEE(body), sumEnd)
	}
	return whole.Write(path, raw, mode)
}

// Load reads a file that Save wrote into v. It fails with ErrDamaged if the checksum does not match.
func Load(path string, v any) error {
	raw, _, err := readSaved(path)
	if err != nil {
		return err
	}
	return decode(path, raw, v)
}

// readSaved reads a file that Save wrote. summed tells whether it had a checksum, which readSaved removes.
func readSaved(path string) (raw []byte, summed bool, err error) {
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

// decode decodes what readSaved has read.
func decode(path string, raw []byte, v any) error {
	err := jsonv2.Unmarshal(raw, v, jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return nil
}
