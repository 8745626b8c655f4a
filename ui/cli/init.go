package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
)

func initCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a captain.yaml with comments",
		Long: `Write captain.yaml into the repository that the present directory, or DIR, is in. It holds all that can be said there about
sessions: see ocaptain help captain-yaml. A captain.yaml that is there already is left alone.`,
		Example: `ocaptain init
ocaptain start --task "add login with sessions"`,
		Args: wantArgs("[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := b.launchYard().InitCaptain(cmd.Context(), cmp.Or(strings.Join(args, ""), "."))
			if err != nil {
				return orderError(err)
			}
			_, err = fmt.Fprintln(b.out, clean.Line(file)+" is written: change it as you like, and commit it")
			return err
		},
	}
}
