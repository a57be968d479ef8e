//! Meeting rooms. The build script includes this file, so no path in it starts with `crate::`.

use tool_runtime::prelude::*;

/// The rooms of one house.
pub(crate) struct Rooms(Vec<Room>);

/// A room.
#[ai_type]
#[derive(Clone, PartialEq)]
pub(crate) struct Room {
    /// The room's name on the door.
    pub(crate) name: String,
    /// The number of seats.
    pub(crate) seats: u32,
    /// The room's equipment.
    pub(crate) equipment: Vec<Equipment>,
}

/// The equipment of a room.
#[ai_type]
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Equipment {
    /// A screen on the wall.
    Screen,
    /// A camera and microphones.
    Camera,
    /// A whiteboard.
    Whiteboard,
}

/// The error of booking a room.
#[derive(Debug, PartialEq, ToolFailure)]
pub(crate) enum BookingError {
    /// There is no such room.
    #[failure(NOT_FOUND, message = "there is no room of this name: look for one with `find_room`")]
    NoSuchRoom,
    /// The room is booked already.
    #[failure(code = "ROOM_TAKEN", type = VALIDATION, message = "the room is taken at this time: try another one")]
    Taken,
}

impl Rooms {
    /// A small house.
    #[allow(dead_code, reason = "the build script needs no rooms")]
    pub(crate) fn sample() -> Self {
        let room = |name: &str, seats, equipment: &[Equipment]| Room {
            name: name.to_owned(),
            seats,
            equipment: equipment.to_vec(),
        };
        Self(vec![
            room("Maple", 4, &[Equipment::Whiteboard]),
            room("Linden", 8, &[Equipment::Screen, Equipment::Camera]),
        ])
    }
}

/// Finds a room that is large enough.
#[ai_tool(effect = "read", version = "1.1.0", category = "rooms", ttl = "30s", timeout = "2s")]
pub(crate) fn find_room(
    rooms: &Rooms,
    /// The number of people.
    #[arg(range(1..=200))]
    seats: u32,
    /// The required equipment.
    #[arg(default)]
    equipment: Vec<Equipment>,
) -> Option<Room> {
    let fits = |room: &&Room| {
        room.seats >= seats && equipment.iter().all(|it| room.equipment.contains(it))
    };
    rooms.0.iter().find(fits).cloned()
}

/// Books a room for an hour.
#[ai_tool(effect = "write", version = "1.0.0", category = "rooms", timeout = "5s")]
pub(crate) fn book_room(
    rooms: &Rooms,
    dry_run: &DryRun,
    /// The room's name.
    #[arg(example = "Linden")]
    room: &str,
    /// The hour at which the meeting starts, from 0 to 23.
    #[arg(range(0..=23))]
    hour: u8,
    /// The access code of the house.
    #[arg(secret, pattern = "^[0-9]{4}$")]
    code: &str,
) -> Result<String, BookingError> {
    let _ = code;
    if !rooms.0.iter().any(|known| known.name == room) {
        return Err(BookingError::NoSuchRoom);
    }
    if hour < 8 {
        return Err(BookingError::Taken);
    }
    let booked = if dry_run.is_active() { "would be booked" } else { "is booked" };
    Ok(format!("{room} {booked} at {hour}:00"))
}
