//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/proctest"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "exec" || os.Args[1] == inside) {
		main()
	}
	os.Exit(m.Run())
}

// However a test binary ends, no process that it started runs on.
func TestNothingIsLeft(t *testing.T) {
	const daemons = `(setsid sh -c 'sleep 1000 & touch ready; exec sleep 1000' >/dev/null 2>&1 &); until [ -e ready ]; do sleep 0.01; done; `
	for name, tt := range map[string]struct {
		script string
		signal syscall.Signal
		code   int
	}{
		"it passes":               {script: daemons + "exit 0"},
		"it fails":                {script: daemons + "exit 3", code: 3},
		"its time is over":        {script: daemons + "kill -QUIT $$; sleep 1000", code: 128 + int(syscall.SIGQUIT)},
		"it is killed":            {script: daemons + "kill -9 $$", code: 128 + int(syscall.SIGKILL)},
		"go test ends its keeper": {script: daemons + "exec sleep 1000", signal: syscall.SIGQUIT, code: 128 + int(syscall.SIGQUIT)},
		"its keeper is killed":    {script: daemons + "exec sleep 1000", signal: syscall.SIGKILL, code: -1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mark := "SUITE_MARK=" + dir
			cmd := exec.Command(os.Args[0], "exec", "/bin/sh", "-c", tt.script)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), mark, slottest.CostsVar+"="+filepath.Join(dir, "costs"))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if tt.signal != 0 {
				eventually.Succeeds(t, "the daemons run", func() error {
					_, err := os.Stat(filepath.Join(dir, "ready"))
					return err
				})
				_ = cmd.Process.Signal(tt.signal)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			eventually.Succeeds(t, "nothing is left", func() error {
				if left := proctest.With(mark); len(left) > 0 {
					return fmt.Errorf("%s", left)
				}
				return nil
			})
			if tt.signal == syscall.SIGKILL {
				return
			}
			var c slottest.Cost
			if raw, err := os.ReadFile(filepath.Join(dir, "costs")); err != nil || json.Unmarshal(raw, &c) != nil {
				t.Fatalf("costs: %s, %v", raw, err)
			}
			if c.Left < 1 || c.Dir != dir {
				t.Errorf("cost: %+v", c)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	var long []string
	for i := range 300 {
		long = append(long, fmt.Sprintf("        line %d %s\n", i, strings.Repeat("x", 500)))
	}
	for name, tt := range map[string]struct {
		output []string
		first  string
		lines  int
	}{
		"short":        {[]string{"=== RUN   TestA\n", "    a_test.go:7: no task: 3\n", "--- FAIL: TestA (0.1s)\n"}, "    a_test.go:7: no task: 3", 1},
		"after a log":  {append([]string{"helm starts\n", "    a_test.go:7: no task\n"}, long...), "    a_test.go:7: no task", longest - 2},
		"panic":        {[]string{"    a_test.go:7: begun\n", "panic: test timed out after 30m0s\n", "\n", "goroutine 7:\n"}, "panic: test timed out after 30m0s", 3},
		"says nothing": {[]string{"=== RUN   TestA\n"}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := digest(tt.output)
			if len(got) != tt.lines || len(got) > 0 && got[0] != tt.first {
				t.Errorf("%d lines, want %d, the first %.100q", len(got), tt.lines, slices.Concat(got, []string{""})[0])
			}
		})
	}
}

// Processes: none, but the report is to find this.
func TestReason(t *testing.T) {
	t.Chdir("..")
	if got := reason(id{"ocaptain/suite", "TestReason"}); got != "none, but the report is to find this." {
		t.Errorf("it is %q", got)
	}
	if got := reason(id{"ocaptain/suite", "TestNone"}); got != "" {
		t.Errorf("of a test that is not there: %q", got)
	}
}

// A test that failed and then passed is flaky. The report shows a failure at its lowest level, and a file has
// all output.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	events := filepath.Join(dir, "events")
	text := `{"Action":"output","Package":"ocaptain/a","Test":"TestA/x","Output":"    a_test.go:7: no task\n"}
{"Action":"fail","Package":"ocaptain/a","Test":"TestA/x","Elapsed":1}
{"Action":"fail","Package":"ocaptain/a","Test":"TestA","Elapsed":3}
{"Action":"pass","Package":"ocaptain/a","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"ocaptain/a","Elapsed":4}
{"Action":"pass","Package":"ocaptain/a","Test":"TestA/x","Elapsed":1}
{"Action":"pass","Package":"ocaptain/a","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"ocaptain/a","Elapsed":1}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"ocaptain/b","Test":"TestC"}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"ocaptain/b","Test":"TestD"}
{"Action":"pause","Package":"ocaptain/b","Test":"TestD"}
{"Action":"output","Package":"ocaptain/b","Test":"TestC","Output":"panic: test timed out after 30m0s\n"}
{"Time":"2026-01-01T00:30:00Z","Action":"fail","Package":"ocaptain/b","Elapsed":1800}
`
	if err := os.WriteFile(events, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	costs := filepath.Join(dir, "costs")
	t.Setenv(slottest.CostsVar, costs)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(costs, fmt.Appendf(nil, "{\"dir\":%q,\"cpu\":10,\"processes\":100,\"load\":7}\n{\"dir\":%q,\"test\":\"TestC\",\"cpu\":1,\"processes\":2001}\n", filepath.Join(root, "a"), filepath.Join(root, "b")), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report(&out, events, filepath.Join(dir, "failures")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"10 s of CPU, 100 processes", "4.0     8.0        80 ≈ a TestA", "1.0     2.0        20 ≈ a TestB",
		"== a TestA/x: flaky", "      a_test.go:7: no task\n", "a_TestA_x.txt",
		"1800.0     1.0      2001   b TestC: its comment does not say why it starts so many\n", "== b TestC: failed\n   panic: test timed out after 30m0s\n   it ran when the test binary ended\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Index(out.String(), "== b TestC: failed") > strings.Index(out.String(), "== cost") {
		t.Errorf("costs come before failures in\n%s", out.String())
	}
	if strings.Contains(out.String(), "TestD") {
		t.Errorf("a test that had not begun is in\n%s", out.String())
	}
}
