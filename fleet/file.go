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

// ErrDamaged says that a file does not hold what was written into it.
var ErrDamaged = errors.New("it is damaged")

// A file that Save writes ends in a checksum of all that is before it, as one more field: a flipped bit is not
// taken for another truth. What has no fields has none.
const (
	sumStart = ",\n  \"sum\": \""
	sumEnd   = "\"\n}\n"
	sumSize  = len(sumStart) + 8 + len(sumEnd)
)

// Save writes v as JSON, whole or not at all.
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

// Load reads what Save wrote.
func Load(path string, v any) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: it is no file", path, ErrDamaged)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if at := len(raw) - sumSize; at > 0 && bytes.HasPrefix(raw[at:], []byte(sumStart)) {
		if string(raw[at+len(sumStart):len(raw)-len(sumEnd)]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(raw[:at])) {
			return fmt.Errorf("%s: %w: its checksum does not fit", path, ErrDamaged)
		}
		raw = append(raw[:at], "\n}\n"...)
	}
	// The engine of the next encoding/json reads a board of many tasks in one pass.
	if err := jsonv2.Unmarshal(raw, v, jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false)); err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return nil
}
