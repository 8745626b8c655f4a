package faults

import (
	"os/exec"
	"sync"
)

// commands are the captain's own, many of them, and of another build.
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
		return did(true) // they end by themselves, or with the voyage
	}},
	{name: "another build", strike: func(v *voyage) hit {
		before := v.program
		v.undisturbed(func() { v.program = builds[v.rng.IntN(2)] })
		v.note("the program is %s", v.program)
		v.look()
		return did(v.program != before)
	}},
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

// command is one of the captain's.
func (v *voyage) command(args ...string) *exec.Cmd {
	cmd := exec.Command(v.program, args...)
	cmd.Env, cmd.Dir = v.env, v.home
	return cmd
}
