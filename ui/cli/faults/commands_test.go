package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"ocaptain/ui/cli/clitest"
)

// commands lists commands of the captain's: many at once, and of another build.
var commands = []fault{
	{name: "ten commands at once", strike: func(v *voyage) hit {
		var wg sync.WaitGroup
		for _, args := range [][]string{
			{"status", v.id},
			{"tasks", v.id},
			{"logs", v.id, "-n", "20"},
			{"diff", v.id},
			{"status", "--json", v.id},
			{"status", "--all"},
			{"helm", "status"},
			{"tasks", v.id, "--json"},
			{"status", v.id},
			{"sweep", "--dry-run", "--provider", "local"},
		} {
			wg.Go(func() { _ = v.command(args...).Run() })
		}
		wg.Wait()
		return did(true)
	}},
	{name: "two more helms", strike: func(v *voyage) hit {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { _ = v.command("helm", "guard").Run() })
			cmd := v.command("helm", "run")
			if err := cmd.Start(); err == nil {
				wg.Go(func() { _ = cmd.Wait() })
			}
		}
		return did(true) // the commands end by themselves, or with the voyage
	}},
	{name: "another build", strike: func(v *voyage) hit {
		before := v.program
		v.undisturbed(func() { v.program = v.build(v.rng.IntN(2)) })
		v.note("the program is %s", v.program)
		v.look()
		return did(v.program != before)
	}},
	{name: "a newer build", strike: (*voyage).upgrade},
	{name: "helm is stopped", strike: func(v *voyage) hit {
		out, code := v.run("helm", "stop")
		v.note("helm stop: exit %d %s", code, out)
		return did(code == 0).until(v.look)
	}},
	{name: "captain verifies", strike: func(v *voyage) hit {
		out, code := v.run("verify", v.id)
		v.note("verify: exit %d %.200s", code, out)
		return did(code == 0)
	}},
	{name: "captain requeues a task", strike: func(v *voyage) hit {
		id := v.plan.Tasks[v.rng.IntN(len(v.plan.Tasks))].ID
		out, code := v.run("requeue", id)
		v.note("requeue %s: exit %d %.200s", id, code, out)
		return did(code == 0)
	}},
	{name: "captain adds a ship", strike: func(v *voyage) hit {
		out, code := v.run("ship", "add")
		v.note("ship add: exit %d %.300s", code, out)
		return did(code == 0)
	}},
	{name: "captain replaces a ship", strike: func(v *voyage) hit {
		return did(v.replace())
	}},
}

// upgrade gives the captain a new program with another version than helm's: helm must give way to it.
func (v *voyage) upgrade() hit {
	raw, err := os.ReadFile(v.program)
	v.upgrades++
	program := filepath.Join(v.home, "upgrades", fmt.Sprint(v.upgrades), "ocaptain")
	if err == nil {
		err = clitest.Write(program, string(raw)+"\n") // bytes after the end of a program do not matter
	}
	if err == nil {
		err = os.Chmod(program, 0o755)
	}
	if err != nil {
		v.note("%v", err)
		return did(false)
	}
	before := v.hub()
	v.undisturbed(func() { v.program = program })
	out, code := v.run("ship", "add", "--voyage", v.id) // unlike status, this command needs a helm that is not older
	v.note("ship add: exit %d %.300s", code, out)
	replaced := !slices.ContainsFunc(v.hub(), func(p process) bool { return slices.Contains(before, p) })
	v.note("the program is %s, another helm runs: %t", program, replaced)
	return did(replaced)
}

// command returns a command of the captain's.
func (v *voyage) command(args ...string) *exec.Cmd {
	cmd := exec.Command(v.program, args...)
	cmd.Env, cmd.Dir = v.env, v.home
	return cmd
}
