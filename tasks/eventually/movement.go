package eventually

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// movement is how much the processes of a test have done so far. Without /proc it stays zero.
type movement struct {
	spent   time.Duration // processor time of the running processes, and of the children that they waited for
	started int           // how many processes and threads were started, including ended ones
	running int
}

// tick is the unit of processor time in /proc, on every Linux machine.
const tick = 10 * time.Millisecond

// look sums up the processes started after this one. In the namespace that a run of all tests gives each binary, these are its own,
// daemons included. Without a namespace, processes of others may count, so that a wait lasts longer.
func look() movement {
	var m movement
	m.started = Started()
	since, above := born(), strconv.Itoa(os.Getppid()) // include children of the parent: it is the parent of daemons
	all, err := os.ReadDir("/proc")
	if err != nil {
		return m
	}
	for _, p := range all {
		if name := p.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		if spent, birth, ok := stat(p.Name()); ok && (birth >= since || p.Name() == above) {
			m.spent += spent
			m.running++
		}
	}
	return m
}

// born returns when this process was started.
var born = sync.OnceValue(func() int {
	_, birth, _ := stat("self")
	return birth
})

// stat returns the processor time of a process, and its start in ticks since the machine's boot.
func stat(process string) (spent time.Duration, birth int, ok bool) {
	raw, err := os.ReadFile("/proc/" + process + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name in parentheses may contain anything, so count the fields from the end.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, false
	}
	for _, f := range fields[11:15] { // user and system time of the process and of its children
		n, _ := strconv.Atoi(f)
		spent += time.Duration(n) * tick
	}
	birth, err = strconv.Atoi(fields[19])
	return spent, birth, err == nil
}

// Spent returns the processor time of this test binary's running processes, and of the children that they
// waited for.
func Spent() time.Duration { return look().spent }

// Started returns how many processes and threads were started so far, in the namespace or, without one, on the machine. The
// count restarts at 300 when it reaches /proc/sys/kernel/pid_max.
func Started() int {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}

// Between returns how many processes were started between two counts.
func Between(before, after int) int {
	if after >= before {
		return after - before
	}
	raw, _ := os.ReadFile("/proc/sys/kernel/pid_max")
	most, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return max(0, most-before+after-300)
}
