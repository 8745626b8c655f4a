package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strconv"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/ui/jsonout"
)

// jsonValue is the value of a --json flag. It knows the types that the command prints with the flag.
type jsonValue struct {
	on     *bool
	shapes []reflect.Type // the command prints one of these types
}

func (v *jsonValue) String() string { return strconv.FormatBool(v.on != nil && *v.on) }

// Type makes pflag treat the flag as a switch.
func (*jsonValue) Type() string { return "bool" }

func (v *jsonValue) Set(s string) (err error) {
	*v.on, err = strconv.ParseBool(s)
	return err
}

// jsonFlag adds --json to a command. With the flag, the command prints a value of one of these types, or one value
// per line.
func jsonFlag(cmd *cobra.Command, on *bool, shapes ...reflect.Type) {
	cmd.Flags().Var(&jsonValue{on, shapes}, "json", "print JSON")
	cmd.Flags().Lookup("json").NoOptDefVal = "true"
}

// printJSON writes v as indented JSON.
func printJSON(w io.Writer, v any) error {
	raw, err := jsonout.Marshal(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return err
	}
	_, err = w.Write(append(clean.JSON(out.Bytes()), '\n'))
	return err
}

// printJSONLine writes v as JSON in one line.
func printJSONLine(w io.Writer, v any) error {
	raw, err := jsonout.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(clean.JSON(raw), '\n'))
	return err
}
