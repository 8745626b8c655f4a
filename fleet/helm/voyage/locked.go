package voyage

// reads runs fn while the voyage's memory does not change, and returns what fn returns. fn must not wait: for no disk, no network, and no lock
// whose holders wait.
func reads[T any](v *Voyage, fn func() T) T {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fn()
}

// reads2 is reads for two values.
func reads2[A, B any](v *Voyage, fn func() (A, B)) (A, B) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fn()
}

// changes runs fn on the voyage's memory while no other goroutine uses it. fn must not wait, as in reads.
func changes(v *Voyage, fn func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fn()
}
