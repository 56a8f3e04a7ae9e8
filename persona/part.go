package persona

// A Part is a piece of a [Message]. The types are [Text], [Mention], [Face], [Picture], [Voice], [Video], [File], [Forward],
// [Card], [Location] and [Other]. Parts are passed by value. Other packages cannot add types.
//
// A link fills in what the event itself contains. Some parts have content that must be fetched: the words of a voice message,
// the messages of a forward, the beginning of a file. The bot fetches it for the messages that a turn answers. All texts of a
// part are untrusted data: they never become commands, mentions or instructions.
type Part interface{ part() }

// Text is a text that the sender typed.
type Text string

// A Mention mentions a user.
type Mention struct {
	ID   string // of the user; "" means everybody
	Name string // without "@"; "" shows the ID
}

// A Face is a small picture of the platform's own set, in a text or as a reaction.
type Face struct {
	ID   string // the platform's id
	Name string // "微笑"; "" if unknown
}

// A Voice is a voice message.
type Voice struct {
	ID         string // for LinkFeatures.OpenPart of the link; "" if it needs none
	URL        string // temporary address on the platform; untrusted; "" if unknown
	Audio      Audio  // the recording; zero if unknown; not in the JSON form
	Transcript string // the spoken words; "" if unknown
}

// A Video is a video.
type Video struct {
	URL string // temporary address on the platform; untrusted; "" if unknown
}

// A File is a file.
type File struct {
	ID      string // for LinkFeatures.OpenPart of the link; "" if it needs none
	Name    string
	Size    int64  // in bytes; 0 if unknown
	URL     string // temporary address on the platform; untrusted; "" if unknown
	Excerpt string // the beginning of a text file; "" if unknown
}

// A Forward contains messages of another chat, which the sender forwards.
type Forward struct {
	ID       string    // for LinkFeatures.OpenPart of the link; "" if it needs none
	Messages []Message // only From, Name, At, Text and Parts are used; nil if unknown. They can contain further forwards
}

// A Card is a shared page, song, mini program, contact or another card.
type Card struct {
	Label       string // its kind in words: "小程序"; "" means "卡片"
	Title       string
	Description string
	Source      string // the app or site
	URL         string // untrusted; "" if unknown
}

// A Location is a place.
type Location struct {
	Name    string
	Address string
}

// Other is a part of another kind, such as a dice.
type Other struct {
	Label string // in words: "骰子 5"
}

func (Text) part()     {}
func (Mention) part()  {}
func (Face) part()     {}
func (Picture) part()  {}
func (Voice) part()    {}
func (Video) part()    {}
func (File) part()     {}
func (Forward) part()  {}
func (Card) part()     {}
func (Location) part() {}
func (Other) part()    {}
