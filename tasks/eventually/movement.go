package eventually

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// movement is what the processes of a test have done so far. Where there is no /proc, nothing ever moves.
type movement struct {
	spent   time.Duration // processor time of the running processes, with the children that they waited for
	started int           // a count of processes and threads, the ended ones too
	running int
}

// tick is the unit of processor time in /proc, on all Linux machines.
const tick = 10 * time.Millisecond

// look looks at the processes that were started after this one. In the namespace that a run of all tests gives each binary these are
// its own, daemons among them; on a machine without it others' may be among them, and a wait then lasts longer.
func look() movement {
	var m movement
	m.started = Started()
	since, above := born(), strconv.Itoa(os.Getppid()) // it has waited for the daemons that ended
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

// born is when this process was started.
var born = sync.OnceValue(func() int {
	_, birth, _ := stat("self")
	return birth
})

// stat is the processor time of a process and its birth, in ticks since the machine was started.
func stat(process string) (spent time.Duration, birth int, ok bool) {
	raw, err := os.ReadFile("/proc/" + process + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name in parentheses may contain anything, so the fields count from the last one.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, false
	}
	for _, f := range fields[11:15] { // its own and its children's, as a user and in the kernel
		n, _ := strconv.Atoi(f)
		spent += time.Duration(n) * tick
	}
	birth, err = strconv.Atoi(fields[19])
	return spent, birth, err == nil
}

// Spent is the processor time of the processes of this test binary that run, with the children that they waited for.
func Spent() time.Duration { return look().spent }

// Started counts the processes and threads that were started so far, here or, outside a namespace, on the machine. The count
// begins again at 300 when it reaches /proc/sys/kernel/pid_max.
func Started() int {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}

// Between is how many were started between two counts.
func Between(before, after int) int {
	if after >= before {
		return after - before
	}
	raw, _ := os.ReadFile("/proc/sys/kernel/pid_max")
	most, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return max(0, most-before+after-300)
}
