package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/slottest"
	"ocaptain/ui/cli"
	"ocaptain/ui/cli/clitest"
)

// With the arguments of ocaptain, the test binary is the program ocaptain with one more provider.
func TestMain(m *testing.M) {
	registry.Add(bargeDescriptor)
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(cli.Main("1.2.3"))
	}
	remove := privatetest.Runtime()
	code := m.Run()
	remove()
	os.Exit(code)
}

// The tutorial's provider satisfies the contract.
func TestTutorialContract(t *testing.T) {
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		root := t.TempDir()
		runtime, err := os.MkdirTemp(os.Getenv("XDG_RUNTIME_DIR"), "b")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(runtime) })
		open := func() provider.Provider {
			p, err := newBarge(root, runtime, "")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		return &providertest.Subject{Provider: open(), Again: open, Leftovers: func(m provider.Machine) []string {
			left, _ := filepath.Glob(filepath.Join(root, m.Name))
			return left
		}}
	})
}

// One line in the registry is enough for the rest of ocaptain: doctor, sail, helm and status know the provider's login, price and setting.
func TestTutorialVoyage(t *testing.T) {
	slottest.Take(t, 2)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1", "XDG_RUNTIME_DIR=" + os.Getenv("XDG_RUNTIME_DIR"),
		"GIT_CONFIG_NOSYSTEM=1", "BARGE_TEST_TOKEN=good", "GORACE=atexit_sleep_ms=0",
	}
	ocaptain := func(token string, args ...string) (string, int) {
		t.Helper()
		out, code, err := clitest.Run(home, append(env, "BARGE_TOKEN="+token), program, args...)
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
		return out, code
	}
	t.Cleanup(func() {
		ocaptain("good", "sink", "--all", "-f")
		ocaptain("good", "helm", "stop")
	})
	if err := clitest.Write(filepath.Join(home, ".config", "ocaptain", "config.yaml"), "provider: barge\nprice: {barge: 0.5}\nbarge: {harbour: north}\n"); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(home, "plan")
	if err := clitest.Plan(plan, "", "#!/bin/sh\ntest -e made\n", []clitest.Task{{ID: "1", Subject: "Make it", Run: "touch made"}}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		token string
		args  []string
		code  int
		says  string
	}{
		{"", []string{"sail", "--detach", plan, "--ships", "1", "--agent", "script"}, 6, "ships at Barge need a token"},
		{"bad", []string{"sail", "--detach", plan, "--ships", "1", "--agent", "script"}, 6, "Barge does not take the token"},
		{"good", []string{"doctor"}, 6, "takes the token from environment"},
		{"good", []string{"sail", "--detach", plan, "--ships", "1", "--agent", "script"}, 0, "sails with 1 ship"},
		{"", []string{"wait"}, 0, "merged and verified"},
		{"", []string{"status"}, 0, "$0.50 an hour"},
		{"", []string{"sink", "-f"}, 0, "sunk"},
		{"", []string{"sweep", "--provider", "barge"}, 0, "Every machine of this install has its voyage"},
	} {
		if out, code := ocaptain(at.token, at.args...); code != at.code || !strings.Contains(out, at.says) {
			t.Errorf("token %q: ocaptain %s: exit %d, want %d and %q\n%s", at.token, strings.Join(at.args, " "), code, at.code, at.says, out)
		}
	}
}
