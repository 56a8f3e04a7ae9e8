// Package fetch gets what stands at a URL that somebody else wrote: a model, or a stranger in a chat. Such a URL may
// aim at the machine itself, at the network around it, or at a service that hands out its secrets.
//
//	pictures, err := fetch.New(fetch.Options{})
//	…
//	file, err := pictures.Get(ctx, url)
//
// # What is refused
//
// URLs that are not http or https, that hold a user, a zone or another port than 80 and 443, and hosts written as
// numbers in any form but the plain one. Addresses that are not public: see [Public]. A host is looked up once, all of
// its addresses are checked, and the one that was checked is dialled; the socket is checked once more before it
// connects. A redirect is a new URL, to which all of this applies.
//
// What comes is bounded in size, in time from the first look-up to the last byte, and in kind, by what the server says
// and by what the bytes are. [ReadImage] holds pictures below a directory to the latter.
//
// No proxy, no cookie, no credential and no referrer is used, and nothing is read from the environment.
package fetch
