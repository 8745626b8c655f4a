package helm

// reads runs fn while the voyage's state stands still, and returns what fn returns.
func reads[T any](v *voyage, fn func() T) T {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fn()
}

// changes runs fn on the voyage's state, while nobody else looks at it.
func changes(v *voyage, fn func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fn()
}

// when makes a condition of the voyage's state, to wait for.
func when(v *voyage, ok func() bool) func() bool {
	return func() bool { return reads(v, ok) }
}
