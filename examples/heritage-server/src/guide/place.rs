//! The scope of a call: a tenant, at one of its sites.

use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;

/// A tenant and one of its sites, taken only from the call's context.
///
/// A tool that borrows one can be called only for tenants that the caller may use: no argument
/// names the tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    tenant_id: Uuid,
    site_id: String,
}

impl Place {
    pub(crate) fn new(tenant_id: Uuid, site_id: impl Into<String>) -> Self {
        Self { tenant_id, site_id: site_id.into() }
    }

    pub(crate) fn tenant_id(&self) -> Uuid {
        self.tenant_id
    }

    pub(crate) fn site_id(&self) -> &str {
        &self.site_id
    }
}

impl FromCall for Place {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        let site_id = call.cx().site_id().ok_or_else(|| {
            Failure::from_code(ErrorCode::InvalidArgument)
                .with_message("the call names no site; set `site_id` in its context")
        })?;
        Ok(Self::new(call.cx().tenant_id(), site_id))
    }
}
