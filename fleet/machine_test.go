package fleet

import "testing"

func TestVoyageOf(t *testing.T) {
	const id = "voyage-0123456789ab"
	for _, built := range []int{1, 3} {
		if got, ok := VoyageOf((&Ship{Number: 12, Built: built}).MachineName(id)); !ok || got != id {
			t.Errorf("built %d: %q, %v", built, got, ok)
		}
	}
	if got, ok := VoyageOf(id + "-ship0-oc0123456789ab"); !ok || got != id {
		t.Errorf("%q, %v", got, ok)
	}
	for _, other := range []string{"", id, id + "-ship", "my-" + id + "-ship0", id + "-ship0-x", "voyage-of-the-beagle-ship0"} {
		if _, ok := VoyageOf(other); ok {
			t.Errorf("%q is taken for a machine of ocaptain's", other)
		}
	}
}
