package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"ocaptain/ui/jsonout"
)

func schemaCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "schema COMMAND...",
		Short: "Print the JSON Schema of what a command prints with --json",
		Long: `Print the JSON Schema of what a command prints with --json. Where a command prints one object a line, the schema is that of a
line. What all that JSON has in common: ocaptain help json`,
		Example: `ocaptain schema status
ocaptain schema pool history > history.schema.json`,
		Args: wantArgs("COMMAND..."),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var next []string
			for _, name := range withJSON(cmd.Root()) {
				if all := strings.Fields(name); len(all) > len(args) && slices.Equal(all[:len(args)], args) {
					next = append(next, all[len(args)])
				}
			}
			return slices.Compact(next), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return newExitError(NotFound, "see: ocaptain --help", "there is no command %q", strings.Join(args, " "))
			}
			schema, err := schemaOf(of, false)
			if err != nil {
				return err
			}
			return printJSON(b.raw, schema)
		},
	}
}

// schemaOf returns the JSON Schema of what a command prints with --json. A closed schema allows no fields that it does not
// name.
func schemaOf(cmd *cobra.Command, closed bool) (*jsonschema.Schema, error) {
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	f := cmd.Flags().Lookup("json")
	if f == nil {
		return nil, newExitError(Usage, "these do: "+strings.Join(withJSON(cmd.Root()), ", "), "%s prints no JSON", name)
	}
	all := &jsonschema.Schema{}
	for _, t := range f.Value.(*jsonValue).shapes {
		s, err := jsonout.Schema(t, closed)
		if err != nil {
			return nil, err
		}
		all.AnyOf = append(all.AnyOf, s)
	}
	if len(all.AnyOf) == 1 {
		all = all.AnyOf[0]
	}
	all.Schema, all.ID = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("urn:ocaptain:json:%d:%s", jsonout.Version, strings.ReplaceAll(name, " ", ":"))
	all.Title = "ocaptain " + name + " --json"
	return all, nil
}

// withJSON lists the commands below cmd that have --json, as the captain types them.
func withJSON(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.Flags().Lookup("json") != nil {
			_, name, _ := strings.Cut(c.CommandPath(), " ")
			names = append(names, name)
		}
		names = append(names, withJSON(c)...)
	}
	return names
}
