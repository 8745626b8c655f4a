package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ocaptain/ui/launch"
)

// homeBridge returns a bridge for a home with no voyages.
func homeBridge(t *testing.T, environ ...string) (*bridge, *bytes.Buffer) {
	t.Helper()
	b, out := testBridge(t, 0)
	b.hub.Voyages = filepath.Join(b.hub.Home, "voyages")
	b.environ = environ
	t.Setenv("HOME", b.hub.Home)
	return b, out
}

// makeOrder returns the order of "ocaptain sail ARGS".
func makeOrder(t *testing.T, b *bridge, args ...string) (*launch.Order, error) {
	t.Helper()
	var o *launch.Order
	var err error
	cmd := sailCmd(b)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		repo, _ := cmd.Flags().GetString("repo")
		unconfined, _ := cmd.Flags().GetBool("unconfined")
		o, err = b.checkOrder(cmd, launch.Wish{Plan: strings.Join(args, ""), Repo: repo, Unconfined: unconfined})
		return nil
	}
	cmd.SetArgs(args)
	if e := cmd.ExecuteContext(context.Background()); e != nil {
		t.Fatal(e)
	}
	return o, err
}

func TestShipsOfAnOrder(t *testing.T) {
	for _, tt := range []struct {
		name, yaml, env string
		args            []string
		want            int
	}{
		{"plan", "", "", nil, 2},
		{"file", "default_ships: 4\n", "", nil, 4},
		{"environment", "default_ships: 4\n", "OCAPTAIN_DEFAULT_SHIPS=5", nil, 5},
		{"flag", "default_ships: 4\n", "OCAPTAIN_DEFAULT_SHIPS=5", []string{"-n", "6"}, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, _ := homeBridge(t, tt.env)
			if err := os.WriteFile(filepath.Join(b.hub.Config, "config.yaml"), []byte(tt.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := makeOrder(t, b, append(tt.args, "example:tiny", "--agent", "script")...)
			if err != nil {
				t.Fatal(err)
			}
			if o.Ships != tt.want {
				t.Errorf("%d ships, want %d", o.Ships, tt.want)
			}
		})
	}
}

// checkOrder reports whatever is wrong with an order before it makes anything.
func TestWrongOrders(t *testing.T) {
	git := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", git).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		code int
		want string
	}{
		{"plan", nil, []string{"/no/such/plan", "--agent", "script"}, Usage, "plan /no/such/plan has 1 error; nothing was made"},
		{"ships", nil, []string{"example:tiny", "-n", "0"}, Usage, `--ships is "0"; it must be a whole number from 1`},
		{"provider", nil, []string{"example:tiny", "--provider", "moon"}, Usage, `no provider "moon"; there are: ` + strings.Join(launch.Providers(), ", ") + " (provider is from flag)"},
		{"agent", []string{"OCAPTAIN_AGENT=hal"}, []string{"example:tiny"}, Usage, `agent "hal" is not known`},
		{"no token", nil, []string{"example:tiny"}, Missing, "none of CLAUDE_CODE_OAUTH_TOKEN"},
		{"bad token", []string{"ANTHROPIC_API_KEY=sk-ant-SECRET\nx"}, []string{"example:tiny"}, Missing, "ANTHROPIC_API_KEY (from environment) has spaces"},
		{"bad GitHub token", []string{"GH_TOKEN=ghp_SECRET x"}, []string{"example:tiny", "--agent", "script"}, Missing, "GH_TOKEN has spaces"},
		{"repository", nil, []string{"example:tiny", "--agent", "script", "--repo", "/no/such/repo"}, Failed, "repository /no/such/repo cannot be read"},
		{"repository form", nil, []string{"example:tiny", "--agent", "script", "--repo", "ext::sh -c x"}, Usage, "--repo:"},
		{"script without plan", nil, []string{"--agent", "script"}, Usage, "name one"},
		{"two ships without plan", []string{"ANTHROPIC_API_KEY=sk-ant-fake"}, []string{"-n", "2"}, Usage, "one ship"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, out := homeBridge(t, tt.env...)
			_, err := makeOrder(t, b, tt.args...)
			if err == nil || exitCode(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, code %d", err, exitCode(err))
			}
			if strings.Contains(out.String(), "SECRET") || err != nil && strings.Contains(err.Error()+adviceOf(err), "SECRET") {
				t.Error("a secret is shown")
			}
			if _, err := os.Stat(b.hub.Voyages); err == nil {
				t.Error("something was made")
			}
		})
	}
	b, _ := homeBridge(t)
	o, err := makeOrder(t, b, "example:tiny", "--agent", "script", "--repo", git)
	if err != nil || o.Work.Repo.Name != git {
		t.Errorf("a good order: %v, %+v", err, o)
	}
}
