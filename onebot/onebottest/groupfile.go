package onebottest

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// A folder is a folder in a group's files.
type folder struct {
	id, name string
	creator  int64
	at       time.Time
}

func (g *Group) folder(id string) *folder {
	return firstMatch(g.folders, func(f *folder) bool { return f.id == id })
}

// listFiles lists the root, or the folder in folder_id.
func (g *Group) listFiles(p params) (any, error) {
	s := g.s
	in := rootless(cmp.Or(p.text("folder_id"), p.text("folder")))
	if in != "" && g.folder(in) == nil {
		return nil, refused(1200, "文件夹不存在")
	}
	files, folders := []object{}, []object{}
	for _, f := range s.files {
		if f.SentTo != g.Chat() || f.Folder != in {
			continue
		}
		files = append(files, object{
			"group_id": g.ID, "file_id": f.ID, "file_name": f.Name, "busid": 102, "file_size": len(f.Data), "size": len(f.Data),
			"uploader": f.From, "uploader_name": s.user(f.From, "").nickname, "upload_time": f.at.Unix(), "dead_time": 0,
			"modify_time": f.at.Unix(), "download_times": 0,
		})
	}
	for _, d := range g.folders {
		if in != "" {
			break // there are no folders in folders
		}
		count := 0
		for _, f := range s.files {
			if f.SentTo == g.Chat() && f.Folder == d.id {
				count++
			}
		}
		folders = append(folders, object{
			"group_id": g.ID, "folder_id": d.id, "folder_name": d.name, "create_time": d.at.Unix(), "creator": d.creator,
			"creator_name": s.user(d.creator, "").nickname, "total_file_count": count,
		})
	}
	return object{"files": files, "folders": folders}, nil
}

// rootless returns the id of a folder, "" for the root.
func rootless(id string) string {
	if id == "/" {
		return ""
	}
	return id
}

// groupFileOf finds a file of a group.
func (s *Server) groupFileOf(p params) (*File, error) {
	g, err := s.groupOf(p)
	if err != nil {
		return nil, err
	}
	id := p.text("file_id")
	if id == "" {
		return nil, required("file_id")
	}
	f := firstMatch(s.files, func(f *File) bool { return f.ID == id && f.SentTo == g.Chat() })
	if f == nil {
		return nil, refused(1200, "文件不存在")
	}
	return f, nil
}

// privateFileOf finds a file by its id, also one in a message.
func (s *Server) privateFileOf(p params) (*File, error) {
	id := p.text("file_id")
	if id == "" {
		return nil, required("file_id")
	}
	f := firstMatch(s.files, func(f *File) bool { return f.ID == id && f.SentTo.Kind != "group" })
	if f == nil {
		return nil, refused(1200, "文件不存在")
	}
	return f, nil
}

// deleteGroupFile deletes a file of the bot, or any file if the bot manages the group.
func (s *Server) deleteGroupFile(f *File, _ params) (any, error) {
	if f.From != s.opts.SelfID && !s.group(f.SentTo.ID).manages() {
		return nil, notAdmin()
	}
	s.files = slices.DeleteFunc(s.files, func(o *File) bool { return o == f })
	return nil, nil
}

func (g *Group) createFolder(p params) (any, error) {
	name := cmp.Or(p.text("name"), p.text("folder_name"))
	if name == "" {
		return nil, required("name")
	}
	d := &folder{id: "/folder-" + strconv.FormatUint(uint64(uint32(g.s.ids.next())), 36), name: name, creator: g.s.opts.SelfID, at: time.Now()}
	g.folders = append(g.folders, d)
	return object{"folder_id": d.id}, nil
}

// onFolder is an action on a folder of a group that the bot manages or whose folder it created.
func onFolder(do func(*Server, *Group, *folder, params)) action {
	return resultAction((*Server).groupOf, func(s *Server, g *Group, p params) (any, error) {
		d := g.folder(p.text("folder_id"))
		switch {
		case d == nil:
			return nil, refused(1200, "文件夹不存在")
		case d.creator != s.opts.SelfID && !g.manages():
			return nil, notAdmin()
		}
		do(s, g, d, p)
		return nil, nil
	})
}

// deleteFolder deletes a folder with its files.
func deleteFolder(s *Server, g *Group, d *folder, _ params) {
	g.folders = slices.DeleteFunc(g.folders, func(o *folder) bool { return o == d })
	s.files = slices.DeleteFunc(s.files, func(f *File) bool { return f.SentTo == g.Chat() && f.Folder == d.id })
}

func renameFolder(_ *Server, _ *Group, d *folder, p params) {
	d.name = cmp.Or(p.text("new_folder_name"), p.text("name"), d.name)
}
