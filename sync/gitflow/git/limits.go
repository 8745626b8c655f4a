package git

// Limits bound what a remote may send. Zero values stand for the defaults.
type Limits struct {
	File  int64 // bytes of one file, default 100 MiB
	Pack  int64 // bytes of one transfer, packed, default 2 GiB
	Total int64 // bytes of all files that one piece of work changes, default 4 GiB
	Files int   // files that one piece of work changes, default 200,000
}

// WithDefaults returns l with defaults in place of values that are not set.
func (l Limits) WithDefaults() Limits {
	if l.File <= 0 {
		l.File = 100 << 20
	}
	if l.Pack <= 0 {
		l.Pack = 2 << 30
	}
	if l.Total <= 0 {
		l.Total = 4 << 30
	}
	if l.Files <= 0 {
		l.Files = 200_000
	}
	return l
}
