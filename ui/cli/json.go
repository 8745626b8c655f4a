package cli

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
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
	_, err = w.Write(append(clean.JSON(raw), '\n'))
	return err
}

// printJSONLine writes v in one line.
func printJSONLine(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(clean.JSON(raw), '\n'))
	return err
}
