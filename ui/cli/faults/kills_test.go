package faults

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"
)

// roles maps the processes of a ship to words of their command lines.
var roles = map[string]string{
	"ssh server": " aboard sshd ", "server": " aboard serve ", "runner": " aboard run ", "tmux": "tmux ", "script": " aboard script ", "claude": "claude ", "task": "sh -c sleep ",
}

// kills lists faults that kill processes.
var kills = []fault{
	{name: "kill helm", strike: func(v *voyage) hit {
		return v.kill("helm", slices.DeleteFunc(v.hub(), func(p process) bool { return !p.is(" helm run ") }))
	}},
	{name: "kill guard", strike: func(v *voyage) hit {
		return v.kill("guard", slices.DeleteFunc(v.hub(), func(p process) bool { return !p.is(" helm guard ") }))
	}},
	{name: "kill helm and guard", strike: func(v *voyage) hit {
		return v.kill("helm and guard", v.hub()).until(v.look)
	}},
	{name: "kill all of a ship", strike: func(v *voyage) hit {
		ship := v.someShip()
		return v.kill("all of "+ship, v.aboard(ship))
	}},
	{name: "kill any process", strike: func(v *voyage) hit {
		return v.kill("any process", v.anyProcess())
	}},
	{name: "power cut", strike: func(v *voyage) hit {
		n := extinguish(v.home)
		v.note("power cut: %d processes", n)
		return did(n > 0).until(v.look)
	}},
	killRole("ssh server"), killRole("server"), killRole("runner"), killRole("tmux"), killRole("script"), killRole("task"),
}

// agents lists the agents' programs, as targets.
var agents = []fault{
	stopRole("script"), onlyAt("claude", killRole("claude")), onlyAt("claude", stopRole("claude")),
}

// stops lists faults that stop processes for a while, as sleep does to a laptop or a machine.
var stops = []fault{
	{name: "hub sleeps", hides: unheard, strike: func(v *voyage) hit { return v.asleep("hub", v.hub()) }},
	{name: "ship sleeps", strike: func(v *voyage) hit {
		ship := v.someShip()
		return v.asleep(ship, v.aboard(ship))
	}},
	stopRole("ssh server"), stopRole("server"), stopRole("runner"), stopRole("tmux"), stopRole("task"),
	{name: "any process sleeps", hides: unheard, strike: func(v *voyage) hit { return v.asleep("any", v.anyProcess()) }},
}

func killRole(role string) fault {
	return fault{name: "kill " + role, strike: func(v *voyage) hit {
		return v.kill(role, v.inRole(role))
	}}
}

func stopRole(role string) fault {
	return fault{name: role + " sleeps", strike: func(v *voyage) hit { return v.asleep(role, v.inRole(role)) }}
}

// onlyAt restricts a fault to one place.
func onlyAt(where string, f fault) fault {
	f.places = []string{where}
	return f
}

// inRole finds the processes of a role aboard some ship.
func (v *voyage) inRole(role string) []process {
	all := v.aboard(v.someShip())
	return slices.DeleteFunc(all, func(p process) bool { return !p.is(roles[role]) })
}

// anyProcess draws a process of the voyage. It leaves out the sandbox of a sprite, which is the sprite's machine: no program
// starts it again.
func (v *voyage) anyProcess() []process {
	all := v.hub()
	for _, ship := range slices.Sorted(maps.Keys(v.ships())) {
		all = append(all, slices.DeleteFunc(v.aboard(ship), func(p process) bool {
			return v.ground.sprites != nil && strings.Contains(p.command, "bwrap ")
		})...)
	}
	if len(all) == 0 {
		return nil
	}
	n := v.rng.IntN(len(all))
	return all[n : n+1]
}

// asleep stops processes, and returns a hit that continues them.
func (v *voyage) asleep(what string, all []process) hit {
	n := v.signal(what, syscall.SIGSTOP, all)
	at := time.Now()
	return did(n > 0).until(func() {
		for _, p := range all {
			_ = syscall.Kill(p.pid, syscall.SIGCONT)
		}
		v.note("%s is awake after %s", what, time.Since(at).Round(time.Millisecond))
	})
}

// kill kills processes.
func (v *voyage) kill(what string, all []process) hit {
	return did(v.signal(what, syscall.SIGKILL, all) > 0)
}
