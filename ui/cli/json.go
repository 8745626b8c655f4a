package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"

	"github.com/spf13/cobra"
)

// jsonFlag adds --json to a command.
func jsonFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "json", false, "print JSON")
}

// printJSON writes v in many lines.
func printJSON(w io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(visible(raw), '\n'))
	return err
}

// printJSONLine writes v in one line.
func printJSONLine(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(visible(raw), '\n'))
	return err
}

// visible escapes what JSON lets through and a terminal may obey: DEL, the C1
// controls and the marks that turn the direction of text.
func visible(raw []byte) []byte {
	bad := func(r rune) bool {
		return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && r <= 0xFFFF
	}
	if bytes.IndexFunc(raw, bad) < 0 {
		return raw
	}
	var b bytes.Buffer
	for _, r := range string(raw) {
		if bad(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
