package local_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/process"
	"ocaptain/fleet/provider/local"
	"ocaptain/tasks/eventually"
)

// shell returns a provider whose program is a shell.
func shell(t *testing.T, confine local.Confine, shown ...string) (*local.Provider, local.Options) {
	o := options(t, confine)
	o.Exe, o.ReadOnly = "/bin/sh", shown
	return newProvider(t, o), o
}

// Of a program in a sandbox no process is left, and processes that it leaves behind do not delay its end.
func TestApartLeavesNoProcess(t *testing.T) {
	p, _ := shell(t, local.Always)
	for how, left := range map[string]string{"silent": ">/dev/null 2>&1", "holds the output": ""} {
		var out bytes.Buffer
		_, err := p.RunApart(t.Context(), []string{"-c", "setsid sleep 100000 " + left + " & echo $TMUX_TMPDIR"}, nil, &out, os.Stderr)
		if err != nil {
			t.Errorf("%s: %s", how, err)
		}
		marker := "TMUX_TMPDIR=" + strings.TrimSpace(out.String())
		eventually.Holds(t, "nothing is left: "+how, func() bool {
			all, err := process.List()
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range all {
				if !other.Zombie && process.HasEnviron(other.PID, marker) {
					return false
				}
			}
			return true
		})
	}
}

// A program that runs apart finds the programs that ships find, and nothing of the captain in its environment.
func TestApartEnvironment(t *testing.T) {
	t.Setenv("CLAUDE_CODE_USE_BEDROCK", "1")
	tools := t.TempDir()
	writeFile(t, filepath.Join(tools, "tool"), "#!/bin/sh\necho found\n", 0o755)
	t.Setenv("PATH", os.Getenv("PATH")+":"+tools)
	for name, confine := range map[string]local.Confine{"walls": local.Always, "none": local.Never} {
		p, _ := shell(t, confine, tools)
		var out bytes.Buffer
		note, err := p.RunApart(t.Context(), []string{"-c", "tool; echo ${CLAUDE_CODE_USE_BEDROCK-clean}"}, nil, &out, os.Stderr)
		if err != nil || out.String() != "found\nclean\n" || (note == "") != (confine == local.Always) {
			t.Errorf("%s: %q, %q, %v", name, out.String(), note, err)
		}
	}
}

// A program without a sandbox may end what it has started after its caller has left.
func TestApartEndsByItself(t *testing.T) {
	p, _ := shell(t, local.Never)
	ctx, cancel := context.WithCancel(t.Context())
	begun, file := writes(func([]byte) { cancel() }), filepath.Join(t.TempDir(), "ended")
	if _, err := p.RunApart(ctx, []string{"-c", "echo begun; cat >/dev/null; echo ended >" + file}, nil, begun, os.Stderr); err == nil {
		t.Error("it was not cut")
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

type writes func([]byte)

func (w writes) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// The directory of a killed process is removed when the next process runs alone. The directory of a running process
// stays.
func TestApartRemovesWhatWasLeft(t *testing.T) {
	p, o := shell(t, local.Never)
	left := filepath.Join(o.Root, ".probe-left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := p.RunApart(t.Context(), []string{"-c", "echo $HOME"}, nil, writes(func(home []byte) {
		if _, err := os.Stat(left); err == nil {
			t.Error("what was left is still there")
		}
		o.Confine = local.Always
		if err := newProvider(t, o).Confinement(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(strings.TrimSpace(string(home))); err != nil {
			t.Error(err)
		}
	}), os.Stderr)
	if err != nil {
		t.Error(err)
	}
}
