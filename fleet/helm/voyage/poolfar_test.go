package voyage

import (
	"testing"

	"ocaptain/tasks/eventually"
)

// farPool is a pool whose workers come from elsewhere.
func farPool(t *testing.T, h *helm, provider string) (v *Voyage, base string) {
	t.Helper()
	d, base := newPool(t, h.Hub, provider)
	sinkAfter(t, h, d)
	return openIt(t, h, d), base
}

// does has a command done, by the worker of that name.
func (v *Voyage) does(t *testing.T, base, command, worker string) {
	t.Helper()
	out := v.puts(t, order(base, command, 1))
	eventually.Holds(t, command, v.done(out.Task))
	if is := v.state(out.Task).Owner; is != worker {
		t.Errorf("%s has done %q", is, command)
	}
}
